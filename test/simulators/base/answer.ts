/** A response before it is sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

/** The API's own errors, in its form. */
export interface ErrorAnswers {
  badRequest(why: string): Answer;
  unauthorized(why: string): Answer;
  /** 404 for an object. */
  unknown(id: string): Answer;
  unavailable(headers: Readonly<Record<string, string>>): Answer;
}

/** The token endpoint's error (RFC 6749, section 5.2). */
export function tokenError(status: number, error: string, description: string): Answer {
  return json(status, { error, error_description: description });
}

/** The response of Cloud Foundry's router for an unknown route. */
export function routerNotFound(host: string): Answer {
  return {
    status: 404,
    headers: { 'content-type': 'text/plain; charset=utf-8', 'x-cf-routererror': 'unknown_route' },
    body: `404 Not Found: Requested route ('${host}') does not exist.\n`,
  };
}
