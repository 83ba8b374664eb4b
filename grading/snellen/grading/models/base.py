"""The one base of everything that travels."""

from pydantic import BaseModel, ConfigDict


class Closed(BaseModel):
    """A frozen model that refuses fields it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
