const MAX_LENGTH = 63;
const isAlphanumeric = (character: string | undefined): boolean =>
  character === undefined || /[A-Za-z0-9]/.test(character);

/** A text in the form that values of labels have: a version may be a branch with slashes. */
export function labelValue(text: string): string {
  let value = text.slice(0, MAX_LENGTH).replace(/[^A-Za-z0-9._-]/g, '-');
  while (!isAlphanumeric(value[0])) value = value.slice(1);
  while (!isAlphanumeric(value.at(-1))) value = value.slice(0, -1);
  return value;
}
