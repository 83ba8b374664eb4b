"""The group `pack`."""

from snellen.cli import pack, pack_audit, pack_tools

group = pack.group
for _name, _command in pack_tools.COMMANDS.items():
    group.command(_name)(_command)
group.command("audit")(pack_audit.audit)
