"""`python -m microveil`: the command line."""

from microveil.cli import main

if __name__ == "__main__":
    main()
