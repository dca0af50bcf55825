/** Postgres stores no NUL, and no half of a surrogate pair in `jsonb`. */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

/** The text with U+FFFD for what cannot be stored. */
export const storable = (text: string): string => text.toWellFormed().replaceAll('\0', '\uFFFD');

/** JSON text of a value whose strings come from others, for a `jsonb` column. */
export const storableJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === 'string' ? storable(member) : member));
