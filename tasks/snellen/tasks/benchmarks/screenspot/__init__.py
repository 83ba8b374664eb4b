"""ScreenSpot-v2 and ScreenSpot-Pro."""
