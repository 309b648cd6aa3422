package api

import (
	"context"
	"time"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
)

func (a *API) folderRoutes() []Route {
	const all, one = "folders:uid:*", "folders:uid:{uid}"
	read, write := Action(access.FoldersRead), Action(access.FoldersWrite)
	create := Action(access.FoldersCreate, access.FoldersWrite)
	remove := Action(access.FoldersDelete, access.FoldersWrite)
	return []Route{
		{"GET", "/api/folders", read, call(a.folders), Doc{Summary: "List the folders that the caller may read"}},
		{"POST", "/api/folders", create.On(all), call(a.createFolder), Doc{Summary: "Create a folder"}},
		{"GET", "/api/folders/{uid}", read.On(one), call(a.folder), Doc{Summary: "Get a folder"}},
		{"PUT", "/api/folders/{uid}", write.On(one), call(a.renameFolder), Doc{Summary: "Rename a folder; a version that is not the stored one is refused"}},
		{"DELETE", "/api/folders/{uid}", remove.On(one), call(a.deleteFolder), Doc{Summary: "Delete a folder and its dashboards"}},
	}
}

// folderPath is the path of a folder.
type folderPath struct {
	UID string `path:"uid" noun:"Folder"`
}

// folderHead is a folder in a list.
type folderHead struct {
	ID    int64  `json:"id"`
	UID   string `json:"uid"`
	Title string `json:"title"`
}

// folder is a folder as published clients read it. This host keeps no access list per
// folder: hasAcl is false.
type folder struct {
	folderHead
	OrgID     int64      `json:"orgId"`
	URL       string     `json:"url"`
	HasACL    bool       `json:"hasAcl"`
	CanSave   bool       `json:"canSave"`
	CanEdit   bool       `json:"canEdit"`
	CanAdmin  bool       `json:"canAdmin"`
	CanDelete bool       `json:"canDelete"`
	Created   *time.Time `json:"created,omitempty"` // absent if an earlier release created the folder
	CreatedBy string     `json:"createdBy"`
	Updated   *time.Time `json:"updated,omitempty"`
	UpdatedBy string     `json:"updatedBy"`
	Version   int64      `json:"version"`
}

func headOfFolder(f host.Folder) folderHead { return folderHead{f.ID, f.UID, f.Title} }

func folderOf(f host.Folder, who host.Identity) folder {
	scope := access.FolderScope + f.UID
	mayWrite := who.Allows(access.FoldersWrite, scope)
	return folder{folderHead: headOfFolder(f), OrgID: who.OrgID, URL: f.URL(), CanSave: mayWrite, CanEdit: mayWrite,
		CanAdmin: who.Role == host.RoleAdmin, CanDelete: mayWrite || who.Allows(access.FoldersDelete, scope),
		Created: timeOrNil(f.Created), CreatedBy: f.CreatedBy, Updated: timeOrNil(f.Updated), UpdatedBy: f.UpdatedBy, Version: f.Version}
}

type folderTitle struct {
	Title string `json:"title" jsonschema:"required"`
}

type folderBody struct {
	UID       string `json:"uid"`
	ParentUID string `json:"parentUid"`
	folderTitle
}

// folderChange is the body of a rename. Without a version, or with overwrite, the last
// rename wins.
type folderChange struct {
	folderTitle
	Version   int64 `json:"version"`
	Overwrite bool  `json:"overwrite"`
}

// deleted is what the responses to the deletion of a folder and of a dashboard share.
type deleted struct {
	message
	ID    int64  `json:"id"`
	Title string `json:"title"`
}

func (a *API) folders(ctx context.Context, who host.Identity, in struct {
	ParentUID string `query:"parentUid"`
	pageQuery
}) ([]folderHead, error) {
	if in.ParentUID != "" && in.ParentUID != access.GeneralFolder {
		return []folderHead{}, nil // clients that list whole trees ask for the children of each folder
	}
	reach := who.Reach(access.FoldersRead, access.FolderScope)
	found, err := a.store.Folders(ctx, who.OrgID, onlyUIDs(reach, access.FolderScope), in.page())
	return mapped(found, headOfFolder), err
}

// onlyUIDs returns the uids to which a list is restricted, or nil if it is not.
func onlyUIDs(reach host.Reach, prefix string) *[]string {
	if reach.IsAll {
		return nil
	}
	uids := reach.Named[prefix]
	return &uids
}

func (a *API) folder(ctx context.Context, who host.Identity, in folderPath) (folder, error) {
	f, err := a.store.Folder(ctx, who.OrgID, in.UID)
	return folderOf(f, who), err
}

func (a *API) createFolder(ctx context.Context, who host.Identity, in struct{ Body folderBody }) (folder, error) {
	if in.Body.ParentUID != "" {
		return folder{}, host.Invalid("parentUid", "must be absent: folders of this host have no parents")
	}
	f, err := a.store.CreateFolder(ctx, who.OrgID, host.Folder{UID: in.Body.UID, Title: in.Body.Title, CreatedBy: who.Login})
	return folderOf(f, who), err
}

func (a *API) renameFolder(ctx context.Context, who host.Identity, in struct {
	folderPath
	Body folderChange
}) (folder, error) {
	version := in.Body.Version
	if in.Body.Overwrite {
		version = 0
	}
	f, err := a.store.RenameFolder(ctx, who.OrgID, host.Folder{UID: in.UID, Title: in.Body.Title, Version: version, UpdatedBy: who.Login})
	return folderOf(f, who), err
}

func (a *API) deleteFolder(ctx context.Context, who host.Identity, in struct {
	folderPath
	Version int64 `query:"version"`
}) (deleted, error) {
	f, err := a.store.DeleteFolder(ctx, who.OrgID, in.UID, in.Version, a.checkDashboardWritable)
	return deleted{message{Message: "Folder deleted"}, f.ID, f.Title}, err
}
