"""Look-up tables with TensorFlow 1's operations that fill them, which do nothing: a table is filled when it is made."""

from stratagem._base.exports import exported
from stratagem._ops.lookup import StaticHashTable, StaticVocabularyTable
from stratagem._tf1.graph import Operation, no_op


@exported(v1=["lookup.StaticHashTable"])
class InitializedHashTable(StaticHashTable):
    """`tf.compat.v1.lookup.StaticHashTable`."""

    @property
    def initializer(self) -> Operation | None:
        """An operation that does nothing."""
        return no_op()


@exported(v1=["lookup.StaticVocabularyTable"])
class InitializedVocabularyTable(StaticVocabularyTable):
    """`tf.compat.v1.lookup.StaticVocabularyTable`."""

    @property
    def initializer(self) -> Operation | None:
        """An operation that does nothing."""
        return no_op()


@exported(v1=["initialize_all_tables", "tables_initializer", "initializers.tables_initializer"])
def tables_initializer(name: str = "init_all_tables") -> Operation | None:
    """Returns an operation that does nothing: tables are filled when they are made."""
    return no_op(name)
