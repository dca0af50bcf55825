import { ServiceManagerError, type ServiceManagerErrorClass } from '../errors/errors.ts';

/** The result of a call, or `absent` for an error of these classes. */
export async function notFoundAs<T, A>(
  absent: A,
  call: Promise<T>,
  classes: readonly ServiceManagerErrorClass[] = ['not-found'],
): Promise<T | A> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof ServiceManagerError && classes.includes(error.class)) return absent;
    throw error;
  }
}
