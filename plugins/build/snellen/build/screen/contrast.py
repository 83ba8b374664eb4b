"""Colors as people see them: WCAG's contrast ratio and the distance of hues."""

import colorsys

LEGIBLE = 3.0
"""WCAG's contrast for large text and the borders of controls (2.2, 1.4.3 and 1.4.11)."""


def luminance(color: str) -> float:
    """Return the relative luminance of a color, 0 (black) to 1 (white).

    Args:
        color: `#rrggbb`.

    Source: WCAG 2.2, "relative luminance".
    """
    red, green, blue = (_linear(part) for part in _parts(color))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colors, 1 (none) to 21 (black on white).

    Source: WCAG 2.2, "contrast ratio".

    >>> contrast("#ffffff", "#000000"), round(contrast("#bfbfbf", "#fafafa"), 2)
    (21.0, 1.76)
    """
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def saturation(color: str) -> float:
    """Return how colorful a color is, 0 (gray) to 1: the range of its three channels."""
    parts = _parts(color)
    return max(parts) - min(parts)


def hue_distance(one: str, other: str) -> float:
    """Return the distance of two hues in degrees, 0 to 180.

    >>> hue_distance("#ff0000", "#00ff00")
    120.0
    """
    first, second = (360 * colorsys.rgb_to_hsv(*_parts(color))[0] for color in (one, other))
    apart = abs(first - second) % 360
    return round(min(apart, 360 - apart), 6)


def _parts(color: str) -> tuple[float, float, float]:
    red, green, blue = bytes.fromhex(color.removeprefix("#"))
    return red / 255, green / 255, blue / 255


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4
