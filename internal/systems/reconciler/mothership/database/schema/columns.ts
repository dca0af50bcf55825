import type { ColumnType, Generated } from 'kysely';

/** A point in time with its zone (`timestamptz`), so that zones of program and database never matter. */
export type Time = ColumnType<Date, Date | string, Date | string>;

/** A point in time that the database sets when the row is inserted. */
export type CreatedTime = ColumnType<Date, Date | undefined, never>;

/** A `jsonb` column: read as a value, written as JSON text (drivers would write an array as one of Postgres). */
export type Json<T> = ColumnType<T, string, string>;

/** A number from a sequence. It may be given, which the migration from the Go program does. */
export type Sequence = Generated<number>;
