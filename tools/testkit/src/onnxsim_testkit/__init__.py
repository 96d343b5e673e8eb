"""What every test suite of this workspace shares: models from text, seeded feeds, a judge and a comparison."""

from .comparing import assert_same_outputs, assert_same_value
from .feeds import random_feeds
from .models import model
from .random_models import random_model
from .running import judge, run

__all__ = ["assert_same_outputs", "assert_same_value", "judge", "model", "random_feeds", "random_model", "run"]
