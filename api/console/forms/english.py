"""Tell words of the API, which are English, from those in the language of a page."""

from dataclasses import dataclass


@dataclass(frozen=True)
class English:
    """Words of the API, such as why it refuses a value."""

    text: str

    def __str__(self) -> str:
        return self.text


# Sentences that a page shows one after the other.
Said = list[str | English]
