"""Edits of a study: its name, question, description, and whether it is archived.

Checksums stay valid: they cover the edits of a study only if it has some.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add a column."""
    op.add_column("studies", sa.Column("edits", sa.Text()))
