"""Keys of programs: which of a call's arguments, settings and modes a program is made for."""
