package host

// AdminLogin is the login of the user that the first start creates.
const AdminLogin = "admin"

// User is a person who authenticates with a password.
type User struct {
	ID           int64
	OrgID        int64
	Login        string
	Role         Role
	IsDisabled   bool
	PasswordHash string

	IsServiceAdmin bool // administers the host, not only the organization
}

// Identity returns the identity of the authenticated user.
func (u User) Identity() Identity {
	return Identity{Kind: KindUser, ID: u.ID, OrgID: u.OrgID, Login: u.Login, Role: u.Role, IsServiceAdmin: u.IsServiceAdmin}
}
