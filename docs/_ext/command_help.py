"""The directive `command`: usage, arguments and options of a command, from what its `--help` shows."""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from typer import Context
from typer.main import get_command

from warmcb.cli.app import app as warmcb_app


def find(words: list[str]) -> tuple[Any, Context]:
    """A command by its words, such as `datasets list`, in the context that its help needs."""
    command: Any = get_command(warmcb_app)
    context = Context(command, info_name="warmcb")
    for word in words:
        command = command.commands[word]
        context = Context(command, info_name=word, parent=context)
    return command, context


class Command(SphinxDirective):
    """Takes the words of a command as its arguments."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        command, context = find(self.arguments[0].split())
        usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
        lines = [".. code-block:: text", "", f"   {usage}", "", *command.help.splitlines(), ""]
        lines += [f".. program:: {context.command_path}", ""]
        for parameter in command.get_params(context):
            shown, text = parameter.get_help_record(context)
            lines += [f".. option:: {shown}", "", f"   {_literal(text)}", ""]
        text = "\n".join(["```{eval-rst}", *lines, "```"])
        return self.parse_text_to_nodes(text)


def _literal(text: str) -> str:
    """Help is plain text: nothing in it is markup."""
    return "".join(f"\\{letter}" if letter in r"\*`|_" else letter for letter in text)


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_directive("command", Command)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
