import { FencedError } from './concurrency/fence.ts';

/**
 * A request that would change something was kept back by the transport of a process that only reads (`plan`,
 * `discover`, `doctor`). It never left. The text names method and URL without its query, which may hold IDs of others.
 */
export class ReadOnlyError extends FencedError {
  constructor(method: string, where: string) {
    super(`${method} ${where} was not sent: this process only reads`);
  }
}
