import { SelectField } from "~/ui/forms/field";
import { ROLE_CHOICES, ROLE_LABELS, type RoleChoice } from "../role-choices";

/** What somebody may do. */
export function RoleField({
  label,
  choice,
  isLabelHidden = false,
}: {
  label: string;
  /** What it begins with. */
  choice: RoleChoice;
  isLabelHidden?: boolean;
}) {
  return (
    <SelectField label={label} name="role" defaultValue={choice} isLabelHidden={isLabelHidden}>
      {ROLE_CHOICES.map((each) => (
        <option key={each} value={each}>
          {ROLE_LABELS[each]}
        </option>
      ))}
    </SelectField>
  );
}
