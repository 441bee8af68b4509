/** The OpenAPI document as it is served; filled once all routes are known. */
export class OpenApiText {
  text = '{}';
}
