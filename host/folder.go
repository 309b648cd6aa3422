package host

// Folder groups dashboards.
type Folder struct {
	ID    int64
	UID   string // assigned by the store if empty
	Title string
}

// Check returns an error (ErrInvalid) if the folder breaks a rule.
func (f Folder) Check() error {
	if err := checkName("title", f.Title); err != nil {
		return err
	}
	if f.UID != "" && !IsUID(f.UID) {
		return Invalid("uid", uidRule, quote(f.UID))
	}
	return nil
}
