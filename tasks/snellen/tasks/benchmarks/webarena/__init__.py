"""WebArena: tasks on copies of web sites, with the checks of WebArena-Verified."""
