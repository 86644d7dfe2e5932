"""Tests of the room io."""  # noqa: A005 - named after the room
