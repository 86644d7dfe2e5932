"""Figures of the house: how large its parts are, who leans on whom, and what an addition costs (`make house`)."""
