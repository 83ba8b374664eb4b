"""A person takes interactive tasks in a browser, graded as an agent is: the command `play`."""
