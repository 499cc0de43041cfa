"""Adjust the accent colour so that it is readable in both colour schemes (WCAG AA)."""

# The backgrounds with the least contrast: banners of the worst states.
LIGHT_BACKGROUND, DARK_BACKGROUND = "#f7e9e9", "#262320"
MIN_CONTRAST = 4.5
STEPS = 100


def contrast(first: str, second: str) -> float:
    """Return the WCAG contrast ratio of two colours, from 1 to 21."""
    low, high = sorted((_luminance(first), _luminance(second)))
    return (high + 0.05) / (low + 0.05)


def readable(colour: str, background: str, text_colour: str) -> str:
    """Mix in the text colour until the contrast with the background suffices."""
    for step in range(STEPS):
        mixed = _mix(colour, text_colour, step / STEPS)
        if contrast(mixed, background) >= MIN_CONTRAST:
            return mixed
    return text_colour


def accent_pair(colour: str) -> tuple[str, str]:
    """Return the accent for the light and for the dark scheme."""
    light = readable(colour, LIGHT_BACKGROUND, "#000000")
    return light, readable(colour, DARK_BACKGROUND, "#ffffff")


def accent_rule(colour: str) -> str:
    """Return the CSS rule of the accent, for both schemes."""
    light, dark = accent_pair(colour)
    return f":root{{--accent:light-dark({light},{dark})}}\n"


def _mix(colour: str, other: str, share: float) -> str:
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def _channels(colour: str) -> tuple[int, int, int]:
    red, green, blue = (int(colour[start : start + 2], 16) for start in (1, 3, 5))
    return red, green, blue


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(channel / 255) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
