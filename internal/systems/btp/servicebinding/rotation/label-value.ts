import { cutName } from '../../../../framework/kube/object/object.ts';

/** A label value has at most so many characters. */
const MAX_LENGTH = 63;

/** The name as a label value: cut, and without separators at its end. */
export const labelValueOf = (name: string): string => cutName(name, MAX_LENGTH);
