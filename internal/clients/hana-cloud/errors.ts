import { ResponseError } from '../../http/index.ts';

/** The API's own 404 to a create: no such instance, or these credentials cannot see it. Kind `not-found`. */
export class UnknownInstanceError extends ResponseError {}
