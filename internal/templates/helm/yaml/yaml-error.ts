/** A text is no YAML as the library of Helm reads it, or a value cannot be written. The message is the one of that library. */
export class YamlError extends Error {
  constructor(message: string) {
    super(`yaml: ${message}`);
    this.name = new.target.name;
  }
}
