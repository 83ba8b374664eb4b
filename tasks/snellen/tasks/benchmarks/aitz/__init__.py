"""AITZ (Android in the Zoo): the next action on a phone, with annotated thoughts."""
