"""Where the calendars of statistical packages begin."""

SINCE_1582 = 141_428  # days from 14 October 1582 to 1 January 1970
SINCE_1960 = 3_653  # days from 1 January 1960
DAY = 86_400  # seconds
