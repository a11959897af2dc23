"""Alembic's environment: runs each migration in the transaction that the storage began."""

from alembic import context

from anchorpbo.app.storage.schema import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
context.run_migrations()
