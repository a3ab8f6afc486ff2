"""What few answers of a class leave uncertain, found from the class alone, as is affordable for many classes."""

import numpy as np

from audit.inference import differences as module

from .campaigns import compared


def test_few_answers_are_the_same_from_the_class_alone(monkeypatch):
    """What one class adds to a mean is the difference of two scores; other scores are computed whole."""
    rng = np.random.default_rng(63)
    gold = rng.choice(6, 300)
    teams = [np.where(rng.random(300) < 0.6, gold, rng.choice(4, 300)) for _ in range(4)]
    for name in ("macro_precision", "averaged_f1", "f1_of_averages", ("averaged_f1", "balanced")):
        expected = compared(name, gold, teams, 6).standard_error
        with monkeypatch.context() as patch:
            patch.setattr(module, "_MANY_CLASSES", 0)
            np.testing.assert_allclose(compared(name, gold, teams, 6).standard_error, expected, rtol=1e-9)
