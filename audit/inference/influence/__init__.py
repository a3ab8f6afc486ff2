"""What each item adds to a score: by labels, by scores of single items, and by draws of item weights.

What items add is summed over groups of items, and every two teams' products of it are added up to covariances of their
scores. Nothing here decides anything: intervals and comparisons stand above, in :mod:`audit.inference`.
"""
