package api

import (
	"context"

	"github.com/slipway-dev/slipway/bundle/access"
	"github.com/slipway-dev/slipway/host"
	"github.com/slipway-dev/slipway/sdk/hostapi"
)

type folderPath struct {
	UID string `path:"uid" noun:"Folder"`
}

func headOfFolder(f host.Folder) hostapi.Folder {
	return hostapi.Folder{ID: f.ID, UID: f.UID, Title: f.Title}
}

func folderOf(f host.Folder, who host.Identity) hostapi.StoredFolder {
	scope := access.FolderScope + f.UID
	mayWrite := who.Allows(access.FoldersWrite, scope)
	return hostapi.StoredFolder{Folder: headOfFolder(f), OrgID: who.OrgID, URL: f.URL(), CanSave: mayWrite, CanEdit: mayWrite,
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

// folderChange is the body of a rename. Without a version, or with overwrite, the last one wins.
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
}) ([]hostapi.Folder, error) {
	if in.ParentUID != "" && in.ParentUID != access.GeneralFolder {
		return []hostapi.Folder{}, nil // clients that list whole trees ask for the children of each folder
	}
	reach := who.Reach(access.FoldersRead, access.FolderScope)
	found, err := a.Store.Folders(ctx, who.OrgID, onlyUIDs(reach, access.FolderScope), in.page())
	return mapped(found, headOfFolder), err
}

// onlyUIDs returns the uids to which a list is restricted, or nil if it is not.
func onlyUIDs(reach host.Reach, prefix string) *[]string {
	if reach.IsAll {
		return nil
	}
	return new(reach.Named[prefix])
}

func (a *API) folder(ctx context.Context, who host.Identity, in folderPath) (hostapi.StoredFolder, error) {
	f, err := a.Store.Folder(ctx, who.OrgID, in.UID)
	return folderOf(f, who), err
}

func (a *API) createFolder(ctx context.Context, who host.Identity, in struct{ Body folderBody }) (hostapi.StoredFolder, error) {
	if in.Body.ParentUID != "" {
		return hostapi.StoredFolder{}, host.Invalid("parentUid", "must be absent: folders of this host have no parents")
	}
	f, err := a.Store.CreateFolder(ctx, who.OrgID, host.Folder{UID: in.Body.UID, Title: in.Body.Title, CreatedBy: who.Login})
	return folderOf(f, who), err
}

func (a *API) renameFolder(ctx context.Context, who host.Identity, in struct {
	folderPath
	Body folderChange
}) (hostapi.StoredFolder, error) {
	version := in.Body.Version
	if in.Body.Overwrite {
		version = 0
	}
	f, err := a.Store.RenameFolder(ctx, who.OrgID, host.Folder{UID: in.UID, Title: in.Body.Title, Version: version, UpdatedBy: who.Login})
	return folderOf(f, who), err
}

func (a *API) deleteFolder(ctx context.Context, who host.Identity, in struct {
	folderPath
	Version int64 `query:"version"`
}) (deleted, error) {
	f, err := a.Store.DeleteFolder(ctx, who.OrgID, in.UID, in.Version, a.checkDashboardWritable)
	return deleted{message{Message: "Folder deleted"}, f.ID, f.Title}, err
}
