package host

// Folder groups dashboards.
type Folder struct {
	ID    int64
	UID   string // assigned by the store if empty
	Title string
}

// Check refuses (ErrInvalid) a folder that breaks a rule.
func (f Folder) Check() error {
	if err := checkName("title", f.Title); err != nil {
		return err
	}
	if f.UID != "" && !IsUID(f.UID) {
		return Invalid("uid", "%s is not 1 to 40 letters, digits, - and _", quote(f.UID))
	}
	return nil
}
