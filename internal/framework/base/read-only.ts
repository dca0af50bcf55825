import { FencedError } from './concurrency/fence.ts';

/**
 * The transport of a read-only process (`plan`, `discover`, `doctor`) refused a write. The request was not sent. The message
 * has no query, which may contain IDs.
 */
export class ReadOnlyError extends FencedError {
  constructor(method: string, where: string) {
    super(`${method} ${where} was not sent: this process only reads`);
  }
}
