"""Commands run in a folder with small files."""

from cli.files import at_the_files as at_the_files
