"""``python -m hopscape``."""

from hopscape.cli import main

if __name__ == "__main__":
    main()
