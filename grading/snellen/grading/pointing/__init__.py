"""Points and boxes: how they are read, ours and as the harnesses of ScreenSpot do."""
