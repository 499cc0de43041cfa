"""Colours by computation: an accent that is readable in both schemes (WCAG AA)."""

# The grounds that are nearest to an accent: banners, tinted by the worst states.
LIGHT_GROUND, DARK_GROUND = "#f7e9e9", "#262320"
ENOUGH = 4.5
STEPS = 100


def contrast(first: str, second: str) -> float:
    """Return the WCAG contrast of two colours, from 1 to 21."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def readable(colour: str, ground: str, ink: str) -> str:
    """Move the colour towards the ink just until it is readable on the ground."""
    for step in range(STEPS):
        mixed = _mixed(colour, ink, step / STEPS)
        if contrast(mixed, ground) >= ENOUGH:
            return mixed
    return ink


def accent_rule(colour: str) -> str:
    """Return the style that sets the accent, for the light and the dark scheme."""
    light = readable(colour, LIGHT_GROUND, "#000000")
    dark = readable(colour, DARK_GROUND, "#ffffff")
    return f":root{{--accent:light-dark({light},{dark})}}\n"


def _mixed(colour: str, other: str, share: float) -> str:
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _channels(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return red, green, blue


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(channel / 255) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
