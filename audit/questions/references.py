"""What page and paper cite: as BibTeX, and as a page prints it."""

import re

from audit.text import listed

REFERENCES = r"""@article{opitz-burst-2019-macro,
  title = {Macro {F1} and Macro {F1}},
  author = {Opitz, Juri and Burst, Sebastian},
  journal = {arXiv preprint arXiv:1911.03347},
  year = {2019}
}
@article{opitz-2024-closer,
  title = {A Closer Look at Classification Evaluation Metrics and a Critical Reflection of Common Evaluation Practice},
  author = {Opitz, Juri},
  journal = {Transactions of the Association for Computational Linguistics},
  volume = {12},
  pages = {820--836},
  year = {2024}
}
@article{takahashi-etal-2022-confidence,
  title = {Confidence Interval for Micro-Averaged {F1} and Macro-Averaged {F1} Scores},
  author = {Takahashi, Kanae and Yamamoto, Kouji and Kuchiba, Aya and Koyama, Tatsuki},
  journal = {Applied Intelligence},
  volume = {52},
  number = {5},
  pages = {4961--4972},
  year = {2022},
  doi = {10.1007/s10489-021-02635-5}
}
@article{agresti-coull-1998-approximate,
  title = {Approximate Is Better than ``Exact'' for Interval Estimation of Binomial Proportions},
  author = {Agresti, Alan and Coull, Brent A.},
  journal = {The American Statistician},
  volume = {52},
  number = {2},
  pages = {119--126},
  year = {1998},
  doi = {10.2307/2685469}
}
@article{price-bonett-2004-improved,
  title = {An Improved Confidence Interval for a Linear Function of Binomial Proportions},
  author = {Price, Robert M. and Bonett, Douglas G.},
  journal = {Computational Statistics \& Data Analysis},
  volume = {45},
  number = {3},
  pages = {449--456},
  year = {2004},
  doi = {10.1016/S0167-9473(03)00007-0}
}
@article{korn-graubard-1998-confidence,
  title = {Confidence Intervals for Proportions with Small Expected Number of Positive Counts Estimated from Survey
           Data},
  author = {Korn, Edward L. and Graubard, Barry I.},
  journal = {Survey Methodology},
  volume = {24},
  number = {2},
  pages = {193--201},
  year = {1998}
}
@article{franco-etal-2019-comparative,
  title = {Comparative Study of Confidence Intervals for Proportions in Complex Sample Surveys},
  author = {Franco, Carolina and Little, Roderick J. A. and Louis, Thomas A. and Slud, Eric V.},
  journal = {Journal of Survey Statistics and Methodology},
  volume = {7},
  number = {3},
  pages = {334--364},
  year = {2019}
}
@article{brown-etal-2001-interval,
  title = {Interval Estimation for a Binomial Proportion},
  author = {Brown, Lawrence D. and Cai, T. Tony and DasGupta, Anirban},
  journal = {Statistical Science},
  volume = {16},
  number = {2},
  pages = {101--133},
  year = {2001},
  doi = {10.1214/ss/1009213286}
}
@article{romano-wolf-2005-exact,
  title = {Exact and Approximate Stepdown Methods for Multiple Hypothesis Testing},
  author = {Romano, Joseph P. and Wolf, Michael},
  journal = {Journal of the American Statistical Association},
  volume = {100},
  number = {469},
  pages = {94--108},
  year = {2005}
}
@article{mogstad-etal-2024-inference,
  title = {Inference for Ranks with Applications to Mobility across Neighbourhoods and Academic Achievement across
           Countries},
  author = {Mogstad, Magne and Romano, Joseph P. and Shaikh, Azeem M. and Wilhelm, Daniel},
  journal = {The Review of Economic Studies},
  volume = {91},
  number = {1},
  pages = {476--518},
  year = {2024}
}
@article{hsu-1984-constrained,
  title = {Constrained Simultaneous Confidence Intervals for Multiple Comparisons with the Best},
  author = {Hsu, Jason C.},
  journal = {The Annals of Statistics},
  volume = {12},
  number = {3},
  pages = {1136--1144},
  year = {1984},
  doi = {10.1214/aos/1176346732}
}
@article{zrnic-fithian-2024-locally,
  title = {Locally Simultaneous Inference},
  author = {Zrnic, Tijana and Fithian, William},
  journal = {The Annals of Statistics},
  volume = {52},
  number = {3},
  year = {2024},
  doi = {10.1214/24-AOS2391}
}
@inproceedings{card-etal-2020-little,
  title = {With Little Power Comes Great Responsibility},
  author = {Card, Dallas and Henderson, Peter and Khandelwal, Urvashi and Jia, Robin and Mahowald, Kyle and Jurafsky,
            Dan},
  booktitle = {Proceedings of the 2020 Conference on Empirical Methods in Natural Language Processing (EMNLP)},
  year = {2020},
  url = {https://aclanthology.org/2020.emnlp-main.745/}
}
@article{broderick-etal-2020-automatic,
  title = {An Automatic Finite-Sample Robustness Metric: When Can Dropping a Little Data Make a Big Difference?},
  author = {Broderick, Tamara and Giordano, Ryan and Meager, Rachael},
  journal = {arXiv preprint arXiv:2011.14999},
  year = {2020}
}
@inproceedings{northcutt-etal-2021-pervasive,
  title = {Pervasive Label Errors in Test Sets Destabilize Machine Learning Benchmarks},
  author = {Northcutt, Curtis G. and Athalye, Anish and Mueller, Jonas},
  booktitle = {Proceedings of the Neural Information Processing Systems Track on Datasets and Benchmarks},
  year = {2021}
}
@book{efron-tibshirani-1993-bootstrap,
  title = {An Introduction to the Bootstrap},
  author = {Efron, Bradley and Tibshirani, Robert J.},
  publisher = {Chapman \& Hall},
  year = {1993}
}
@article{delong-etal-1988-comparing,
  title = {Comparing the Areas under Two or More Correlated Receiver Operating Characteristic Curves: A Nonparametric
           Approach},
  author = {DeLong, Elizabeth R. and DeLong, David M. and Clarke-Pearson, Daniel L.},
  journal = {Biometrics},
  volume = {44},
  number = {3},
  pages = {837--845},
  year = {1988},
  doi = {10.2307/2531595}
}
"""


def printed() -> dict[str, str]:
    """Each entry by its key as text: who, when, what, and where.

    >>> printed()["efron-tibshirani-1993-bootstrap"]
    'Bradley Efron and Robert J. Tibshirani. 1993. An Introduction to the Bootstrap. Chapman & Hall.'
    """
    entries = re.findall(r"^@\w+{(.+?),(.+?)^}", REFERENCES, re.DOTALL | re.MULTILINE)
    return {key: _printed(entry) for key, entry in entries}


def _printed(entry: str) -> str:
    plain = entry.replace("``", "“").replace("''", "”").replace("\\&", "&")
    fields = {name: " ".join(re.sub("[{}]", "", text).split()) for name, text in _FIELD.findall(plain)}
    names = [" ".join(reversed(author.split(", "))) for author in fields["author"].split(" and ")]
    where = next(fields[kind] for kind in ("journal", "booktitle", "publisher") if kind in fields)
    number = f"({fields['number']})" if "number" in fields else ""
    volume = f" {fields['volume']}{number}" if "volume" in fields else ""
    title = fields["title"] + ("" if fields["title"].endswith("?") else ".")
    return f"{listed(names)}. {fields['year']}. {title} {where}{volume}."


_FIELD = re.compile(r"^  (\w+) = {(.*?)},?$", re.DOTALL | re.MULTILINE)
