"""How families of agents write their actions, each by name: a text to an action and back."""
