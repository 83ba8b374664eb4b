"""The names of the tasks."""

HIGH, LOW = "androidcontrol/high", "androidcontrol/low"
