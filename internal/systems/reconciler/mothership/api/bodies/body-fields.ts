import { type JsonFields, jsonFields } from '../../../operations/json-fields.ts';
import { badRequest } from '../request/api-error.ts';

/** The fields of the body of a request. @throws ApiError 400 from all methods that read a field which cannot be used */
export const bodyFields = (body: unknown): JsonFields =>
  jsonFields(body, { refuse: badRequest, areStored: true });
