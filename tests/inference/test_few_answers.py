"""What few answers of a class leave uncertain, found from the class alone, as is affordable for many classes."""

import numpy as np

from audit.inference import label_source as module

from .campaigns import compared


def test_few_answers_are_the_same_from_the_class_alone(monkeypatch):
    """What one class adds to a mean is the difference of two scores; other scores are computed whole."""
    rng = np.random.default_rng(63)
    gold = rng.choice(6, 300)
    right = [np.where(gold < 4, 0.6, share) for share in (0.02, 0.05, 0.1, 0.2)]
    teams = [np.where(rng.random(300) < share, gold, rng.choice(4, 300)) for share in right]
    for name in (
        "macro_precision",
        "averaged_f1",
        "f1_of_averages",
        "mcc",
        ("mcc", "balanced"),
        ("averaged_f1", "balanced"),
    ):
        expected = compared(name, gold, teams, 6).standard_error
        with monkeypatch.context() as patch:
            patch.setattr(module, "_MOST_RESCORED", 0)
            np.testing.assert_allclose(
                compared(name, gold, teams, 6).standard_error, expected, rtol=1e-9
            )
