"""The formulas: functions of arrays, their derivatives, and what they are put together from."""
