"""Vocabularies: how the families of agents write their actions, as published code reads them."""
