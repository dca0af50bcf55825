import { ResponseError } from '../../http/index.ts';

/** A 404 of the API for a create: the instance does not exist or is not visible. Kind `not-found`. */
export class UnknownInstanceError extends ResponseError {}
