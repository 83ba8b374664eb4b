"""ScreenSpot, ScreenSpot-v2 and ScreenSpot-Pro: point at the element that an instruction means."""
