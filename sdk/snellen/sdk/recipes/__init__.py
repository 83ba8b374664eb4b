"""Recipes: the requests of models' own published scripts, one TOML file each."""

from snellen.sdk.recipes.recipe import Recipe as Recipe
from snellen.sdk.recipes.recipe import differences as differences
from snellen.sdk.recipes.recipe import messages as messages
from snellen.sdk.recipes.recipe import names as names
from snellen.sdk.recipes.recipe import recipe as recipe
from snellen.sdk.recipes.recipe import request as request

__all__ = ["Recipe", "differences", "messages", "names", "recipe", "request"]
