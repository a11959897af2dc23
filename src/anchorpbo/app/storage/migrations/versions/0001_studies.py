"""Studies, their participants and journals, and secrets."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Create the first tables."""
    op.create_table(
        "studies",
        sa.Column("id", sa.Text(), primary_key=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created", sa.DateTime(timezone=True), nullable=False),
        sa.Column("definition", sa.Text(), nullable=False),
    )
    op.create_table(
        "participants",
        sa.Column("study", sa.Text(), sa.ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("position", sa.BigInteger(), nullable=False),
    )
    op.create_table(
        "entries",
        sa.Column("study", sa.Text(), sa.ForeignKey("studies.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("number", sa.BigInteger(), primary_key=True, autoincrement=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("participant", sa.Text(), nullable=False),
        sa.Column("time", sa.DateTime(timezone=True), nullable=False),
        sa.Column("response_ms", sa.BigInteger()),
        sa.Column("data", sa.Text(), nullable=False),
        sa.Column("undoes", sa.BigInteger()),
        sa.ForeignKeyConstraint(
            ["study", "participant"], ["participants.study", "participants.name"], ondelete="CASCADE"
        ),
    )
    op.create_index("entries_by_participant", "entries", ["study", "participant", "number"])
    op.create_index("entries_by_type", "entries", ["study", "type"])
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text(), primary_key=True),
        sa.Column("value", sa.LargeBinary(), nullable=False),
    )
