"""The temperature of step 2. It stands alone, so that whoever names it does not load what uses it."""

from __future__ import annotations

TAU = 1.0
"""Where log N_eff varies most among the natural questions of a repository (the mean variance within 26 repositories,
479 questions). Over all questions the variance grows further, up to 1.9, but what grows there is only the difference
between small and large repositories."""
