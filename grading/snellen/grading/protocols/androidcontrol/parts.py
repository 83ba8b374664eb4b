"""The names of the tasks, and what several rules say."""

HIGH, LOW = "androidcontrol/high", "androidcontrol/low"
NO_NODES = (
    "the click's tolerance rests on the screen's accessibility nodes, which this data does not have"
)
