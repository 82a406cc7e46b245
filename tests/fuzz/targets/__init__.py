"""The targets of fuzzing, a module a subject; every module here is found by itself."""
