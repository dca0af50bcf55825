/** A response before it is sent. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) };
}

/** The API's own error. */
export function apiError(
  status: number,
  code: string,
  message: string,
  headers?: Record<string, string>,
): Answer {
  return json(status, { code, message }, headers);
}

export function unauthorized(why: string): Answer {
  return apiError(401, 'UNAUTHORIZED', why, { 'www-authenticate': 'Bearer error="invalid_token"' });
}

export function unknownInstance(instance: string): Answer {
  return apiError(404, 'NOT_FOUND', `service instance ${instance} is unknown`);
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
