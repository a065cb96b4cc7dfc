import type { UploadFailure, UploadLimits } from "./upload-fields";

/** The Upload tab of the admin panel. */
export function UploadForm({ failure }: { limits: UploadLimits; failure?: UploadFailure }) {
  return (
    <form method="post" action="/admin" encType="multipart/form-data">
      {failure && <p role="alert">{failure.sentence}</p>}
    </form>
  );
}
